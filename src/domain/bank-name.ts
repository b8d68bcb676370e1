/** Bank names: 1 to 63 letters (any script), digits, `_`, `-`, `.`; not `.` or `..`. */
export const BANK_NAME: RegExp = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.-]{1,63}$/u
