/** The state of an open request or question at a terminal: keys and texts in, an answer out; pure. */
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers, PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import type { AnswerAction } from "./actions.ts"
import { choicesOf, isAllowKey } from "./choices.ts"
import { type Editor, emptyEditor, type Key, press } from "./editor.ts"

export type Request = PermissionRequestEvent | QuestionEvent

/** An answer counts only after this time without a key: earlier keys were meant for something else. */
export const settleMs = 500

interface Armed {
  readonly armedAt: number
}

/** The part of a request that has been on the screen. */
export interface Viewed {
  readonly request: PermissionRequestEvent
  /** Every row has been on the screen; stays true when the layout changes. */
  readonly isWhole: boolean
  /** The panel has no room for its middle. */
  readonly isFolded: boolean
  /** Rows that the view has displayed without a gap, from the first on. */
  readonly seen: number
  readonly layout: string
}

export type Panel =
  /** One key decides. */
  | (Armed & Viewed & { readonly _tag: "Keys"; readonly problem: string | undefined })
  | (Armed & Viewed & { readonly _tag: "Message"; readonly editor: Editor })
  | (Armed & {
      readonly _tag: "Reply"
      readonly request: QuestionEvent
      readonly at: number
      readonly answers: Answers
      readonly editor: Editor
      readonly problem: string | undefined
    })

/** Marks a request as displayed, without its middle if it is folded. */
export const displayed = <Shown extends Viewed>(visible: Shown, isFolded: boolean): Shown => ({
  ...visible,
  isFolded,
  isWhole: visible.isWhole || !isFolded
})

/** Counts displayed rows; in a new layout, counting starts again. */
export const viewed = <Shown extends Viewed>(
  visible: Shown,
  rows: { readonly layout: string; readonly top: number; readonly room: number; readonly count: number }
): Shown => {
  const { layout, top, room, count } = rows
  const before = visible.layout === layout ? visible.seen : 0
  const lowest = top <= before ? Math.max(before, top + room) : before
  return { ...visible, layout, seen: lowest, isWhole: visible.isWhole || lowest >= count }
}

export const panelOf = (request: Request, now: number): Panel => {
  const armedAt = now + settleMs
  if (request.type === "permission_request") {
    const viewed = { isWhole: false, isFolded: false, seen: 0, layout: "" }
    return { _tag: "Keys", request, ...viewed, problem: undefined, armedAt }
  }
  return { _tag: "Reply", request, at: 0, answers: {}, editor: emptyEditor, problem: undefined, armedAt }
}

/** The panel after a key, undefined once it is answered; and the answer. */
export type Answered = readonly [Panel | undefined, AnswerAction | undefined]

const decided = ({ requestId }: PermissionRequestEvent, answer: PlanAnswer): Answered => [
  undefined,
  { _tag: "Decide", requestId, answer }
]

const numbers = (text: string): ReadonlyArray<number> | undefined =>
  /^\d+(?:[\s,]+\d+)*$/.test(text) ? text.split(/[\s,]+/).map(Number) : undefined

type Parsed = { readonly chosen: ReadonlyArray<string> } | { readonly problem: string }

/** Reads numbers or labels of options, or a text where the question takes one. */
export const choiceOf = ({ options, multiple, freeText }: Question, input: string): Parsed => {
  const text = input.trim()
  const label = (name: string) => options.find((option) => option.label.toLowerCase() === name.toLowerCase())?.label
  const picked = numbers(text)?.map((number) => options[number - 1]?.label)
  const known = picked?.filter((name) => name !== undefined) ?? []
  if (picked !== undefined && known.length === picked.length) {
    const chosen = [...new Set(known)]
    return multiple || chosen.length === 1 ? { chosen } : { problem: "choose only one" }
  }
  const named = label(text)
  if (named !== undefined) return { chosen: [named] }
  // A number that is meant as a text is put in quotes.
  if (freeText && picked === undefined) return { chosen: [text.replace(/^"(.+)"$/, "$1")] }
  return {
    problem: multiple ? `numbers from 1 to ${options.length}, such as 1,2` : `a number from 1 to ${options.length}`
  }
}

type Reply = Extract<Panel, { readonly _tag: "Reply" }>

/** An empty text leaves a question to the agent. */
const replied = (panel: Reply, text: string): Answered => {
  const { request, at } = panel
  const question = request.questions[at]
  const choice = question === undefined || text.trim() === "" ? undefined : choiceOf(question, text)
  if (choice !== undefined && "problem" in choice)
    return [{ ...panel, editor: emptyEditor, problem: choice.problem }, undefined]
  const answers =
    question === undefined || choice === undefined
      ? panel.answers
      : { ...panel.answers, [question.question]: choice.chosen }
  if (at + 1 < request.questions.length) {
    return [{ ...panel, at: at + 1, answers, editor: emptyEditor, problem: undefined }, undefined]
  }
  const all = Object.keys(answers).length === 0 ? undefined : answers
  return [undefined, { _tag: "Answer", requestId: request.requestId, answers: all }]
}

export const pressPanel = (panel: Panel, key: Key): Answered => {
  if (panel._tag === "Keys") {
    const name = key.ctrl || key.meta ? "" : key.name
    const { choices } = choicesOf(panel.request, panel.isWhole, panel.isFolded)
    const choice = choices.find((offered) => offered.key === name)
    if (choice?.answer !== undefined) return decided(panel.request, choice.answer)
    if (choice?.key === "m") return [{ ...panel, _tag: "Message", editor: emptyEditor }, undefined]
    const isEarly = isAllowKey(name) && !panel.isWhole
    return [isEarly ? { ...panel, problem: "view all of it first: v" } : panel, undefined]
  }
  if (panel._tag === "Message" && key.name === "escape") {
    return [{ ...panel, _tag: "Keys", problem: undefined }, undefined]
  }
  const [editor, text] = press(panel.editor, key)
  if (text === undefined) return [{ ...panel, editor }, undefined]
  if (panel._tag === "Reply") return replied(panel, text)
  const message = text.trim()
  return decided(panel.request, { decision: "deny", ...(message === "" ? {} : { message }) })
}
