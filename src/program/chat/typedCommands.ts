/** The commands of a person in a chat: their names, arguments and effects, and the completion of a word; pure. */
import { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import { suggestionFor } from "../../contract/suggestions.ts"
import type { Editor } from "./editor.ts"

/** Words after `/changes`. */
export const changeActions = ["apply", "commit", "discard"] as const
export type ChangeAction = (typeof changeActions)[number]

interface TypedCommand {
  readonly name: string
  readonly argument?: string
  readonly does: string
}

export const typedCommands: ReadonlyArray<TypedCommand> = [
  { name: "/help", does: "shows this" },
  { name: "/model", argument: "M", does: "another model" },
  { name: "/mode", argument: "M", does: PermissionMode.literals.join(", ") },
  { name: "/status", does: "agent, model, mode, session, directory" },
  { name: "/usage", does: "what this session has used" },
  { name: "/changes", argument: "WHAT", does: "what was changed in the worktree; apply, commit or discard" },
  { name: "/copy", argument: "N", does: "the last answer to the clipboard, or its Nth block of code" },
  { name: "/show", argument: "N", does: "the Nth last tool call, unfolded" },
  { name: "/attach", argument: "FILE", does: "an image or file for the next text" },
  { name: "/quit", does: "leaves" }
]

const names = typedCommands.map(({ name }) => name)

export const unknownCommand = (name: string): string => {
  const near = suggestionFor(name.slice(1), [...names.map((known) => known.slice(1)), "exit"])
  const suggestion = near === undefined ? "/help lists them" : `/${near}?`
  return `${name} is not known: ${suggestion} (/${name} sends it as text)`
}

export interface KnownValues {
  readonly models: ReadonlyArray<string>
}

const valuesOf = (command: string, { models }: KnownValues): ReadonlyArray<string> => {
  if (command === "/mode") return PermissionMode.literals
  if (command === "/changes") return changeActions
  return command === "/model" ? models : []
}

export interface Completed {
  readonly editor: Editor
  readonly candidates: ReadonlyArray<string>
}

const commonStart = (words: ReadonlyArray<string>): string =>
  words.reduce((start, word) => {
    let at = 0
    while (at < start.length && start[at] === word[at]) at++
    return start.slice(0, at)
  })

const replaced = (editor: Editor, text: string): Editor => ({ ...editor, text, cursor: text.length })

/** Completes the word at the end of a command; undefined if the cursor is elsewhere. */
export const complete = (editor: Editor, known: KnownValues): Completed | undefined => {
  const [, before = "", command, word = ""] = /^((\/[a-z]+)\s+)?(\S*)$/.exec(editor.text) ?? []
  if (!editor.text.startsWith("/") || editor.text.startsWith("//") || editor.cursor < editor.text.length)
    return undefined
  const found = (command === undefined ? names : valuesOf(command, known)).filter((name) => name.startsWith(word))
  const [only] = found
  if (only === undefined) return { editor, candidates: [] }
  if (found.length > 1) return { editor: replaced(editor, before + commonStart(found)), candidates: found }
  const takesMore =
    command === undefined && typedCommands.some(({ name, argument }) => name === only && argument !== undefined)
  return { editor: replaced(editor, before + only + (takesMore ? " " : "")), candidates: [] }
}

/** Whether a model is to be completed; listing the models takes a while. */
export const wantsModels = ({ text }: Editor): boolean => /^\/model\s/.test(text)
