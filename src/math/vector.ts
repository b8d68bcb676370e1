/** A list of numbers of any kind that can be indexed: `number[]`, `Float32Array`, `Float64Array`. */
export type Vector = ArrayLike<number>

/** @throws RangeError when the lengths differ. */
export function assertSameLength(a: Vector, b: Vector): void {
  if (a.length !== b.length) throw new RangeError(`lengths differ: ${a.length} and ${b.length}`)
}

/** @throws RangeError when a value is NaN or infinite. */
export function assertFinite(values: Vector, name: string): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) throw new RangeError(`${name}[${i}] is ${values[i]}: it must be finite`)
  }
}
