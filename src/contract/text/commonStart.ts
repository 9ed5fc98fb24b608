/** How many lines two texts have in common at their start; pure. */
export const commonStart = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}
