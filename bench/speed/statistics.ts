/** Numbers of several samples → the one that stands for them, and how far they lie apart. */

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The value that this share of all does not exceed. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** With an even count the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

export const spreadOf = (values: ReadonlyArray<number>): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values)
})

/** Sample by sample, since what disturbs the machine disturbs those that stand side by side. */
export const pairwise = (
  ours: ReadonlyArray<number>,
  theirs: ReadonlyArray<number>,
  combine: (ours: number, theirs: number) => number
): Spread => spreadOf(ours.map((value, nth) => combine(value, theirs[nth] ?? Number.NaN)))

export const ratio = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>) =>
  pairwise(ours, theirs, (a, b) => a / b)

export const difference = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>) =>
  pairwise(ours, theirs, (a, b) => a - b)
