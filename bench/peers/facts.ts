/** Short words for what a cell shows. The limits of what is not measured are generous: a machine can be busy. */
import { type Cell, until } from "./cell.ts"

export const limitMs = 20_000

export const seconds = (ms: number) => `${(Math.max(0, ms) / 1000).toFixed(1)} s`

const nameOf = (role: string) => (role === "cli" ? "CLI" : role)

export const hasEnded = (cell: Cell) => cell.told("end") !== undefined || cell.crash() !== undefined

/** How the run was told to have ended, if it was. */
export const tellOf = (cell: Cell): string =>
  cell.told("end")?.told ?? cell.crash() ?? `call does not return within ${limitMs / 1000} s`

/** The processes of the run that live, or the time after `from` when the last was gone. */
export const fateOf = async (cell: Cell, forMs: number, from = Date.now()): Promise<string> => {
  const gone = await until(() => cell.live().length === 0, forMs)
  if (gone !== undefined) return `nothing lives after ${seconds(Date.now() - from)}`
  return `after ${forMs / 1000} s live: ${cell.live().map(nameOf).join(", ")}`
}

/** When the call returned and what it told, and what became of the processes. */
export const endingOf = async (cell: Cell, forMs: number, from = Date.now()): Promise<string> => {
  const [fate] = await Promise.all([fateOf(cell, forMs, from), until(() => hasEnded(cell), forMs)])
  const end = cell.told("end")
  if (end === undefined) return `${cell.crash() ?? "call does not return"}; ${fate}`
  return `call returns after ${seconds(end.at - from)} (${end.told}); ${fate}`
}

/** Until the CLI runs. */
export const begun = (cell: Cell) => until(() => cell.starts() > 0 || hasEnded(cell), 60_000)

/** Until what the stub does is under way and the host has had its first word; else what happened instead. */
export const notReady = async (cell: Cell): Promise<string | undefined> => {
  const hasWord = () => cell.told("tool") !== undefined || cell.told("text") !== undefined
  await until(() => cell.isReady() || hasEnded(cell), 60_000)
  if (!cell.isReady()) return `not started: ${tellOf(cell)}`
  // A package that shows nothing before the end is measured all the same.
  await until(() => hasWord() || hasEnded(cell), 3_000)
  return undefined
}
