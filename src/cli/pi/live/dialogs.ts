/**
 * Dialogs of Pi's extensions (1.6.0), which hold the agent until they are answered: questions for a person. Outside of a turn
 * no one is there to answer: they are cancelled at once.
 */
import type { Answers, Question } from "../../../contract/SessionEvent.ts"
import { entryOf } from "../../jsonFields.ts"
import type { Output } from "../../Live.ts"
import { type Outputs, write } from "../../outputs.ts"
import type { ExtensionRequest } from "./wire.ts"

const [yes, no] = ["Yes", "No"]

const questionOf = ({ method, title, message, options }: ExtensionRequest): Question | undefined => {
  const text = [title, message].filter((part) => part != null && part !== "").join("\n") || "An extension asks"
  const question = { question: text, multiple: false, freeText: false }
  switch (method) {
    case "select":
      return { ...question, options: (options ?? []).map((label) => ({ label })) }
    case "confirm":
      return { ...question, options: [{ label: yes }, { label: no }] }
    case "input":
    case "editor":
      return { ...question, options: [], freeText: true }
    default:
      return undefined
  }
}

/** Requests that wait for no answer. */
const silent: ReadonlySet<string> = new Set(["notify", "setStatus", "setWidget", "setTitle", "set_editor_text"])

const respond = (id: string, answer: object): Output => write({ type: "extension_ui_response", id, ...answer })

export const makeDialogs = () => {
  const open = new Map<string, { readonly method: string; readonly question: Question }>()
  return {
    /** `isAnswerable`: a turn is under way. */
    ask: (request: ExtensionRequest, isAnswerable: boolean): Outputs => {
      if (silent.has(request.method)) return noticeOf(request)
      const question = questionOf(request)
      // An unknown dialog may wait for an answer, too; Pi ignores one that it does not wait for.
      if (question === undefined || !isAnswerable) return [respond(request.id, { cancelled: true })]
      open.set(request.id, { method: request.method, question })
      return [{ _tag: "Questioned", requestId: request.id, questions: [question] }]
    },
    answer: (requestId: string, answers: Answers | undefined): Outputs => {
      const dialog = open.get(requestId)
      if (dialog === undefined) return []
      open.delete(requestId)
      const [value] = (answers && entryOf(answers, dialog.question.question)) ?? []
      if (value === undefined) return [respond(requestId, { cancelled: true })]
      return [respond(requestId, dialog.method === "confirm" ? { confirmed: value === yes } : { value })]
    },
    /** Cancels all that is open. */
    cancel: (): Outputs => {
      const ids = [...open.keys()]
      open.clear()
      return ids.flatMap((requestId) => [respond(requestId, { cancelled: true }), { _tag: "Withdrawn", requestId }])
    }
  }
}

const grave: ReadonlySet<unknown> = new Set(["warning", "error"])

/** A notice of an extension; a status line, a widget and a title are left out. */
const noticeOf = ({ method, message, notifyType }: ExtensionRequest): Outputs => {
  if (method !== "notify" || message == null) return []
  return [{ type: "notice", kind: grave.has(notifyType) ? "warning" : "info", message }]
}
