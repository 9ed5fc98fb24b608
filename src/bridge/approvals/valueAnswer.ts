/**
 * An answer by value, from a channel that draws requests itself → what it comes to; pure. Undefined: the request has no such
 * choice. What was not shown whole cannot be allowed here, either.
 */
import { obstacleOf } from "../../agents/approvals/obstacle.ts"
import type { Answers, PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import type { PressChoice } from "../messages/Incoming.ts"
import type { Act, Asked } from "./choices.ts"

/** In characters. */
const longest = 4_000

const ofRequest = (
  request: PermissionRequestEvent,
  { decision, scope, message }: Extract<PressChoice, { readonly _tag: "Decide" }>
): Act | undefined => {
  if (decision === "outline") return request.kind === "plan" ? { _tag: "Decide", answer: { decision } } : undefined
  if (decision === "allow" && obstacleOf(request) !== undefined) return undefined
  if (scope !== undefined && !request.scopes.some(({ id }) => id === scope)) return undefined
  if (message !== undefined && message.length > longest) return undefined
  const remember = scope === undefined ? {} : { remember: scope }
  if (decision === "allow") return { _tag: "Decide", answer: { decision, ...remember } }
  const told = message === undefined || message.trim() === "" ? {} : { message }
  return { _tag: "Decide", answer: { decision, ...remember, ...told } }
}

const isAnswer = ({ options, multiple, freeText }: Question, given: ReadonlyArray<string>): boolean => {
  if (given.length === 0 || (given.length > 1 && !multiple)) return false
  if (new Set(given).size !== given.length) return false
  const isFree = freeText || options.length === 0
  return given.every(
    (text) => options.some(({ label }) => label === text) || (isFree && text.trim() !== "" && text.length <= longest)
  )
}

/** One for each question, and none for others; or none at all, where the agent is to choose. */
const ofQuestion = ({ questions }: QuestionEvent, given: Answers | undefined): Act | undefined => {
  if (given === undefined) return { _tag: "AnswerAll", answers: undefined }
  const answers = questions.map(
    (question) => [question, Object.hasOwn(given, question.question) ? (given[question.question] ?? []) : []] as const
  )
  if (!answers.every(([question, labels]) => isAnswer(question, labels))) return undefined
  return {
    _tag: "AnswerAll",
    answers: Object.fromEntries(answers.map(([{ question }, labels]) => [question, labels]))
  }
}

export const actOfValue = (asked: Asked, choice: PressChoice): Act | undefined => {
  if (asked.type === "question") return choice._tag === "Answer" ? ofQuestion(asked, choice.answers) : undefined
  return choice._tag === "Decide" ? ofRequest(asked, choice) : undefined
}
