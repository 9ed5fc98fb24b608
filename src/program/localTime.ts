/** A moment as a clock of a zone shows it, for people: `2026-11-24 00:00`. Default: the zone of the machine. */
export const localTime = (at: number, zone?: string): string => {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return "an unknown time"
  const options = { dateStyle: "short", timeStyle: "short", timeZone: zone } as const
  return new Intl.DateTimeFormat("sv-SE", options).format(at)
}
