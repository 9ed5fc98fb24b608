/**
 * Versions of the contract between Reins and the value of a CLI. A new one is made when a value that was written for the
 * one before would be misunderstood; a field that may be left out makes none.
 */

/** The versions that this package takes. */
const contracts = [1] as const

/** The version of the contract of a CLI value. Absent: 1. */
export type Contract = (typeof contracts)[number]

/** The problem of a value for another version, as the rest of a sentence about the CLI. Pure. */
export const contractProblem = (
  { contract = 1 }: { readonly contract?: unknown },
  taken: readonly [number, ...ReadonlyArray<number>] = contracts
): string | undefined => {
  if (taken.some((each) => each === contract)) return undefined
  const these = `this version of Reins takes version ${taken.join(" or ")}`
  if (typeof contract !== "number") return `has a contract that is not a number: ${these}`
  const cure =
    contract < Math.min(...taken)
      ? "update the module or package that the CLI comes from (docs/adding-a-cli.md)"
      : `update Reins, or use a CLI that was made for version ${taken.join(" or ")}`
  return `was made for version ${contract} of Cli, and ${these}: ${cure}`
}
