/** Parts of plans that several CLIs share: their arguments, and refusals of params; pure. */
import { InvalidParams } from "../contract/AgentError.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { Argument } from "../contract/Plan.ts"

/** In UTF-16 code units; a longer prompt is written to stdin. */
export const longestArgumentPrompt = 10_000

export const invalid = (option: string, problem: string) => new InvalidParams({ option, problem })

export const forkProblem = ({ sessionId, forkSession }: Pick<AgentExecuteParams, "sessionId" | "forkSession">) =>
  forkSession === true && sessionId === undefined
    ? invalid("forkSession", "needs sessionId, the session to fork")
    : undefined

export const flag = (option: string, ...texts: ReadonlyArray<string>): ReadonlyArray<Argument> =>
  texts.map((text) => ({ option, text }))

export const each = (option: string, name: string, input: ReadonlyArray<string> = []): ReadonlyArray<Argument> =>
  input.map((item) => ({ option, text: `${name}=${item}` }))

export const value = (option: string, name: string, input: string | number | undefined): ReadonlyArray<Argument> =>
  each(option, name, input === undefined ? [] : [`${input}`])

export const extra = ({ extraArgs = [] }: Pick<AgentExecuteParams, "extraArgs">) => flag("extraArgs", ...extraArgs)

/** yargs makes one name of `approvalMode`, `approval--mode` and `APPROVAL-MODE`, and of `yolo` and `yolo-`. */
const kebabOf = (text: string): string =>
  (text === text.toUpperCase() ? text.toLowerCase() : text)
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/[-_]+/g, "-")
    .replace(/^-|-$/g, "")

/**
 * The names of the flags in an argument, as yargs recognises them, the parser of Gemini CLI (0.61.0) and OpenCode (1.18.33).
 * `--approvalMode=x` and `--approval--mode=x` are `--approval-mode`; `---yolo`, `--yolo-`, `--yolo.x=1` and `--no-yolo` are
 * `--yolo`, `--y` is `-y`, and `-dy` is `-d` and `-y`.
 */
export const yargsFlags = (argument: string): ReadonlyArray<string> => {
  const [, dashes = "", text = ""] = /^(-*)([^=]*)/.exec(argument) ?? []
  if (dashes === "" || (dashes === "-" && text === "")) return []
  if (dashes === "-") return Array.from(text, (letter) => `-${letter}`)
  const kebab = kebabOf(text.split(".", 1)[0] ?? "")
  if (kebab === "") return ["--"]
  const name = kebab.replace(/^no-/, "")
  return [name.length === 1 ? `-${name}` : `--${name}`]
}

/** Keeps the agent from reading a command or a reference; to a model the text is the same. */
export const zeroWidth = "\u200B"
