/** SQLSTATE (five characters) or errno name (`ENOENT`) of whatever was thrown; undefined where it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
