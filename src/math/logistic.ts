import { solvePositiveDefinite } from './linear-system.ts'
import { dot, norm } from './similarity.ts'
import { assertFinite, type Vector } from './vector.ts'

/** A logistic model: probability = sigmoid(bias + Σ weightsᵢ·xᵢ). */
export interface LogisticModel {
  readonly bias: number
  readonly weights: Vector
}

export interface LogisticFitOptions {
  /** Strength λ of the penalty ½λ|weights|² (1/C of other libraries), > 0. The bias is free. @default 1 */
  readonly penalty?: number
  /** Weight of each example, ≥ 0. @default 1 each */
  readonly exampleWeights?: Vector
  /** Stops when the gradient is shorter than this. @default 1e-8 */
  readonly tolerance?: number
  /** @default 100 */
  readonly maxIterations?: number
}

export interface LogisticFit extends LogisticModel {
  readonly weights: Float64Array
  /** Penalised negative log-likelihood at the end. */
  readonly loss: number
  readonly iterations: number
  readonly converged: boolean
}

/**
 * The logistic function 1/(1 + e⁻ˣ), by the branch that does not overflow.
 *
 * Any x, also ±∞. Range: [0, 1]. O(1).
 * @throws RangeError when x is NaN.
 */
export function sigmoid(x: number): number {
  if (Number.isNaN(x)) throw new RangeError('sigmoid of NaN')
  if (x >= 0) return 1 / (1 + Math.exp(-x))
  const e = Math.exp(x)
  return e / (1 + e)
}

/**
 * Probability of the positive class.
 *
 * Shapes: n features, n weights. Range: [0, 1]. No features: sigmoid(bias). O(n).
 * @throws RangeError when the lengths differ or the sum is NaN.
 */
export function predictLogistic(model: LogisticModel, features: Vector): number {
  return sigmoid(model.bias + dot(model.weights, features))
}

/**
 * Fits a logistic model by Newton's method (iteratively reweighted least squares) with a ridge penalty and step halving:
 * minimises −Σ sᵢ·(yᵢ·ln pᵢ + (1−yᵢ)·ln(1−pᵢ)) + ½λ|w|².
 *
 * Shapes: m ≥ 1 rows of n features; m targets in [0, 1] (soft targets allowed, as calibration needs). The loss is
 * convex: with λ > 0 the optimum is unique up to the bias of one-sided targets, whose magnitude is kept finite by a
 * ridge of 1e-9. O(iterations · m · n²).
 * Reference: Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", §4.4.1.
 * @throws RangeError when there are no rows, shapes differ, a value is not finite, a target is outside [0, 1], λ ≤ 0,
 * or an example's weight is negative.
 */
export function fitLogistic(
  rows: readonly Vector[],
  targets: Vector,
  options: LogisticFitOptions = {},
): LogisticFit {
  const { penalty = 1, exampleWeights, tolerance = 1e-8, maxIterations = 100 } = options
  checkExamples(rows, targets, penalty, exampleWeights)
  const n = rows[0]!.length
  // parameters[n] is the bias; its tiny ridge keeps one-sided targets finite.
  const ridge = new Float64Array(n + 1).fill(penalty)
  ridge[n] = 1e-9
  let parameters = new Float64Array(n + 1)
  let loss = penalisedLoss(rows, targets, exampleWeights, parameters, ridge)
  let converged = false
  let iterations = 0
  for (; iterations < maxIterations && !converged; iterations++) {
    const { gradient, hessian } = derivatives(rows, targets, exampleWeights, parameters, ridge)
    if (norm(gradient) <= tolerance) {
      converged = true
      break
    }
    const step = solvePositiveDefinite(hessian, gradient)
    let scale = 1
    for (;;) {
      const candidate = parameters.map((value, i) => value - scale * step[i]!)
      const candidateLoss = penalisedLoss(rows, targets, exampleWeights, candidate, ridge)
      if (candidateLoss < loss) {
        parameters = candidate
        loss = candidateLoss
        break
      }
      scale /= 2
      // No step lowers the loss any more: the optimum to double precision.
      if (scale < 1e-10) {
        converged = true
        break
      }
    }
  }
  return { bias: parameters[n]!, weights: parameters.slice(0, n), loss, iterations, converged }
}

function checkExamples(rows: readonly Vector[], targets: Vector, penalty: number, weights?: Vector): void {
  const first = rows[0]
  if (first === undefined) throw new RangeError('no examples to fit')
  if (rows.length !== targets.length)
    throw new RangeError(`${rows.length} rows but ${targets.length} targets`)
  if (!(penalty > 0) || !Number.isFinite(penalty))
    throw new RangeError(`penalty is ${penalty}: it must be > 0`)
  if (weights !== undefined && weights.length !== rows.length) {
    throw new RangeError(`${rows.length} rows but ${weights.length} weights`)
  }
  rows.forEach((row, i) => {
    if (row.length !== first.length)
      throw new RangeError(`row ${i} has ${row.length} features, not ${first.length}`)
    assertFinite(row, `rows[${i}]`)
    const target = targets[i]!
    if (!(target >= 0 && target <= 1))
      throw new RangeError(`targets[${i}] is ${target}: it must be in [0, 1]`)
    const weight = weights?.[i] ?? 1
    if (!(weight >= 0) || !Number.isFinite(weight)) throw new RangeError(`exampleWeights[${i}] is ${weight}`)
  })
}

function score(row: Vector, parameters: Float64Array): number {
  const n = row.length
  let sum = parameters[n]!
  for (let i = 0; i < n; i++) sum += parameters[i]! * row[i]!
  return sum
}

function penalisedLoss(
  rows: readonly Vector[],
  targets: Vector,
  weights: Vector | undefined,
  parameters: Float64Array,
  ridge: Float64Array,
): number {
  let loss = 0
  rows.forEach((row, i) => {
    const s = score(row, parameters)
    // ln(1 + eˢ) − y·s without overflow
    loss += (weights?.[i] ?? 1) * (Math.max(s, 0) + Math.log1p(Math.exp(-Math.abs(s))) - targets[i]! * s)
  })
  for (let i = 0; i < parameters.length; i++) loss += 0.5 * ridge[i]! * parameters[i]! ** 2
  return loss
}

function derivatives(
  rows: readonly Vector[],
  targets: Vector,
  weights: Vector | undefined,
  parameters: Float64Array,
  ridge: Float64Array,
): { gradient: Float64Array; hessian: Float64Array[] } {
  const n = parameters.length - 1
  const gradient = new Float64Array(n + 1)
  const hessian = Array.from({ length: n + 1 }, () => new Float64Array(n + 1))
  rows.forEach((row, k) => {
    const weight = weights?.[k] ?? 1
    const p = sigmoid(score(row, parameters))
    const residual = weight * (p - targets[k]!)
    const curvature = weight * p * (1 - p)
    for (let i = 0; i <= n; i++) {
      const xi = i === n ? 1 : row[i]!
      gradient[i]! += residual * xi
      const scaled = curvature * xi
      const hessianRow = hessian[i]!
      for (let j = 0; j <= i; j++) hessianRow[j]! += scaled * (j === n ? 1 : row[j]!)
    }
  })
  for (let i = 0; i <= n; i++) {
    gradient[i]! += ridge[i]! * parameters[i]!
    hessian[i]![i]! += ridge[i]!
  }
  return { gradient, hessian }
}
