/**
 * Samples of several contestants, in alternating order (a b, b a, a b, …), so that changes on the machine favour none of them.
 * A first round warms the disk and is not counted (`uncounted`).
 */

export const inRounds = async <Name extends string, Taken>(
  names: ReadonlyArray<Name>,
  samples: number,
  take: (name: Name) => Promise<Taken>,
  uncounted = 1
): Promise<Record<Name, ReadonlyArray<Taken>>> => {
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Array<Taken>> // as named
  for (let round = 0; round < uncounted + samples; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await take(name)
      if (round >= uncounted) taken[name].push(sample)
    }
  }
  return taken
}
