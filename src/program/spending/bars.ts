/** Bars of whole cells; pure. */

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value))

/** At least one cell for anything above 0. */
const cellsOf = (part: number, whole: number, width: number) =>
  part <= 0 || whole <= 0 ? 0 : clamp(Math.max(1, Math.round((part / whole) * width)), width)

/** As long as its share of the largest. */
export const bar = (value: number, largest: number, width: number): string => {
  const cells = cellsOf(value, largest, width)
  return "█".repeat(cells) + " ".repeat(width - cells)
}

/** What is spent, what is reserved, and what is left. */
export const shareBar = (spent: number, reserved: number, limit: number, width: number): string => {
  const full = cellsOf(spent, limit, width)
  const held = clamp(cellsOf(reserved, limit, width), width - full)
  return "█".repeat(full) + "▒".repeat(held) + "░".repeat(width - full - held)
}
