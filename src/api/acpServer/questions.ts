/** Questions of an agent → a form of the client, and what it gives back → answers; pure. */
import { Predicate } from "effect"
import type { Answers, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import { shortLine } from "../../contract/text/oneLine.ts"

const fieldOf = (index: number) => `question${index + 1}`

const longest = 1_000

const choicesOf = ({ options }: Question) =>
  options.map(({ label, description }) => ({
    const: label,
    title: shortLine(description === undefined ? label : `${label}: ${description}`, longest)
  }))

const propertyOf = (question: Question) => {
  const { header, options, multiple } = question
  const words = {
    title: shortLine(header ?? question.question, longest),
    description: shortLine(question.question, longest)
  }
  if (multiple && options.length > 0) return { type: "array", ...words, items: { anyOf: choicesOf(question) } }
  // A form has either a choice or a text: where there are options, they are what can be chosen.
  return options.length === 0 ? { type: "string", ...words } : { type: "string", ...words, oneOf: choicesOf(question) }
}

export const formOf = (sessionId: string, { questions, toolId }: QuestionEvent) => ({
  sessionId,
  ...(toolId === undefined ? {} : { toolCallId: toolId }),
  mode: "form",
  message: questions.map(({ question }) => shortLine(question, longest)).join("\n"),
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(questions.map((question, index) => [fieldOf(index), propertyOf(question)])),
    required: questions.map((_, index) => fieldOf(index))
  }
})

const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  return Array.isArray(value) ? value.filter(Predicate.isString) : []
}

const isPossible = ({ options, freeText }: Question, chosen: string) =>
  freeText || options.length === 0 || options.some(({ label }) => label === chosen)

/** Undefined, so that the agent uses its defaults: for all but a form that was filled in and fits. */
export const answersOf = ({ questions }: QuestionEvent, result: unknown): Answers | undefined => {
  if (!Predicate.hasProperty(result, "action") || result.action !== "accept") return undefined
  const content = Predicate.hasProperty(result, "content") ? result.content : undefined
  const answers = questions.map((question, index): readonly [string, ReadonlyArray<string>] => {
    const field = fieldOf(index)
    const given = textsOf(Predicate.hasProperty(content, field) ? content[field] : undefined)
    return [question.question, given.filter((chosen) => isPossible(question, chosen))]
  })
  return answers.every(([, given]) => given.length > 0) ? Object.fromEntries(answers) : undefined
}
