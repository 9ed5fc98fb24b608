/** Colours and marks of a transcript; plain text on a surface that is not live. */
import { sequence } from "./sequences.ts"

export interface Surface {
  /** A terminal that can be drawn over. */
  readonly live: boolean
  /** Whether it has colours. Default: `live`. */
  readonly color?: boolean
  readonly columns: number
}

export const hasColor = ({ live, color = live }: Surface): boolean => color
const codes = { bold: 1, dim: 2, italic: 3, struck: 9, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof codes

export const paint = (surface: Surface, style: Style, text: string): string =>
  hasColor(surface) && text !== "" ? `${sequence(`\x1b[${codes[style]}m`)}${text}${sequence("\x1b[0m")}` : text

export const marks = {
  ok: "✓",
  failed: "✗",
  stopped: "■",
  agent: "●",
  group: "▸",
  open: "○",
  plan: "≡",
  notice: "·",
  warning: "!",
  retry: "↻",
  denied: "⊘",
  voided: "↶",
  ask: "?",
  prompt: "›"
} as const

const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"]

/** The spinner's frame at a time in milliseconds. */
export const spinner = (now: number): string => frames[Math.floor(now / 100) % frames.length] ?? "·"

/** Width for a line of text, in cells. */
export const roomOf = (surface: Surface): number => (surface.live ? Math.max(20, surface.columns - 1) : 240)
