/** Ids as Discord counts them: milliseconds since 2015 in the upper bits, so that a larger one is later. */

const epoch = 1_420_070_400_000n

export const makeIds = (now: () => number) => {
  let last = 0n
  return (): string => {
    const ms = BigInt(Math.max(0, Math.floor(now()))) - epoch
    const next = (ms > 0n ? ms : 0n) << 22n
    last = next > last ? next : last + 1n
    // Ids have 17 digits at least, also where a test's clock begins at 0.
    if (last < 10n ** 17n) last += 10n ** 17n
    return last.toString()
  }
}

export const isLater = (id: string, than: string): boolean => BigInt(id) > BigInt(than)
