/** A drawn program → what `fixtures/programs/misbehaves.mjs` has to do, action by action; pure. */
import type { Recording } from "./recordings.ts"
import type { OddLine, Program, Tool } from "./scenario.ts"

export type Action =
  | { readonly do: "read" | "closeStdin" | "stay" }
  | { readonly do: "tools"; readonly tools: ReadonlyArray<Tool> }
  | { readonly do: "print"; readonly text: string; readonly piece: number }
  | { readonly do: "warn"; readonly text: string }
  | { readonly do: "flood"; readonly pipe: "stdout" | "stderr"; readonly line: string; readonly times: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "close"; readonly pipe: "stdout" }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "kill"; readonly signal: string }

/** The limit of every run's lines, above the longest that was recorded. */
export const maxLineBytes = 200_000

const foreign = "\u001b[33mwarning: {not json"

const textOf = (odd: OddLine): string => {
  if (odd.is === "blank") return " \r\n"
  if (odd.is === "unknown") return `${JSON.stringify({ type: "hologram", nth: odd.at })}\n`
  if (odd.is === "oversize") return `${JSON.stringify({ type: "hologram", data: "o".repeat(maxLineBytes) })}\n`
  return odd.is === "foreign" ? `${foreign}\n` : `(node:1) Warning ${JSON.stringify({ type: "hologram" })}\n`
}

const floodBytes = 50_000
const floodLine = {
  stdout: `${JSON.stringify({ type: "hologram", data: "f".repeat(floodBytes) })}\n`,
  stderr: `${"e".repeat(floodBytes)}\n`
}

const floodAt = ({ flood }: Program, at: number): ReadonlyArray<Action> =>
  flood === null || flood.at !== at
    ? []
    : [
        {
          do: "flood",
          pipe: flood.pipe,
          line: floodLine[flood.pipe],
          times: Math.ceil((flood.kilobytes * 1_000) / floodBytes)
        }
      ]

/** Neighbours that are printed at once are one write. */
const joined = (actions: ReadonlyArray<Action>): ReadonlyArray<Action> => {
  const done: Array<Action> = []
  for (const action of actions) {
    const last = done.at(-1)
    if (action.do === "print" && last?.do === "print") done.splice(-1, 1, { ...last, text: last.text + action.text })
    else done.push(action)
  }
  return done
}

const printing = (program: Program, { lines }: Recording): ReadonlyArray<Action> => {
  const { piece, pauseMs } = program
  const print = (text: string): Action => ({ do: "print", text, piece })
  const input = lines.slice(0, program.lines)
  const before = (at: number) => [
    ...program.odd.filter((odd) => odd.at === at).map((odd) => print(textOf(odd))),
    ...floodAt(program, at)
  ]
  const pause: ReadonlyArray<Action> = pauseMs === 0 ? [] : [{ do: "wait", ms: pauseMs }]
  const next = lines[program.lines] ?? ""
  return joined([
    ...input.flatMap((line, at) => [...before(at), print(`${line}\n`), ...pause]),
    ...before(input.length),
    ...(program.half ? [print(next.slice(0, Math.ceil(next.length / 2)))] : [])
  ])
}

const ending = ({ end }: Program): ReadonlyArray<Action> => {
  if (end.is === "stays") return [{ do: "stay" }]
  if (end.is === "stops") return [{ do: "kill", signal: "SIGSTOP" }]
  if (end.is === "dies") return [{ do: "kill", signal: end.signal }]
  return [
    { do: "wait", ms: end.afterMs },
    { do: "exit", code: end.code }
  ]
}

const startTools = (tools: ReadonlyArray<Tool>): ReadonlyArray<Action> =>
  tools.length === 0 ? [] : [{ do: "tools", tools }]

export const actionsOf = (program: Program, recording: Recording): ReadonlyArray<Action> => {
  const chatty = program.tools.filter((tool) => tool.is === "chats")
  const quiet = program.tools.filter((tool) => tool.is !== "chats")
  return [
    ...(program.stdin === "read" ? [{ do: "read" } as const] : []),
    ...(program.stdin === "closed" ? [{ do: "closeStdin" } as const] : []),
    ...startTools(quiet),
    ...(program.silentMs > 0 ? [{ do: "wait", ms: program.silentMs } as const] : []),
    ...printing(program, recording),
    ...(program.stdin === "late" ? [{ do: "read" } as const] : []),
    ...(program.complains ? [{ do: "warn", text: "the last words\n" } as const] : []),
    ...(program.closesStdout ? [{ do: "close", pipe: "stdout" } as const] : []),
    ...startTools(chatty),
    ...ending(program)
  ]
}

/** The program's complete output if nothing stops it, with an oversize line in place of its events. */
export const stdoutOf = (actions: ReadonlyArray<Action>): string =>
  actions
    .map((action) => {
      if (action.do === "print")
        return action.text
          .split("\n")
          .map((line) => (line.length > maxLineBytes ? foreign : line))
          .join("\n")
      return action.do === "flood" && action.pipe === "stdout" ? action.line.repeat(action.times) : ""
    })
    .join("")
