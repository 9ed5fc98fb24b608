// The events, their fields, and the result that `done` and `turn_done` carry.
import { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { AgentRunResult, AgentUsage, RunFacts } from "../../../src/contract/AgentRunResult.ts"
import { docstringsOf } from "../kit/docstrings.ts"
import { code, table } from "../kit/markdown.ts"
import { describedBy, isOptional, typeOf, vocabularies } from "../kit/types.ts"

type Field = { readonly ast: Parameters<typeof typeOf>[0] }

const inSessions = new Set(["permission_request", "permission_decision", "question", "question_answer", "turn_done"])

const events = AgentEvent.members.map((event) => {
  const { type, parentToolId: _, ...fields } = event.fields
  const comments = docstringsOf(String(event.ast.annotations?.["identifier"]))
  return {
    type: String(type.ast._tag === "Literal" ? type.ast.literal : ""),
    fields: Object.entries<Field>(fields),
    comments
  }
})

const withMark = (name: string, { ast }: Field) => code(isOptional(ast) ? `${name}?` : name)

export const eventsTable = () =>
  table(
    ["`type`", "what it tells", "fields"],
    events.map(({ type, fields, comments }) => [
      code(type),
      inSessions.has(type) ? `Live sessions: ${comments.about}` : comments.about,
      fields.map(([name, field]) => withMark(name, field)).join(", ")
    ])
  )

/** Its own words, else those of its type, which has a name of the contract's. */
const meaning = (name: string, { ast }: Field, comments: ReadonlyMap<string, string>) => {
  const own = describedBy(ast) ?? comments.get(name)
  const type = typeOf(ast)
  return own ?? (/^[A-Z][A-Za-z]+$/.test(type) ? docstringsOf(type).about : "")
}

export const eventFieldsTable = () =>
  table(
    ["event", "field", "type", "meaning"],
    events.flatMap(({ type, fields, comments }) =>
      fields.map(([name, field]) => [
        code(type),
        withMark(name, field),
        code(typeOf(field.ast)),
        meaning(name, field, comments.fields)
      ])
    )
  )

const rows = (fields: Readonly<Record<string, Field>>, name: string) => {
  const comments = docstringsOf(name).fields
  return Object.entries(fields).map(([field, schema]) => [
    withMark(field, schema),
    code(typeOf(schema.ast)),
    meaning(field, schema, comments)
  ])
}

export const resultTable = () => {
  const facts = new Set(Object.keys(RunFacts.fields))
  const own = Object.entries(AgentRunResult.fields).filter(([name]) => !facts.has(name))
  return table(
    ["field", "type", "meaning"],
    [...rows(Object.fromEntries(own), "AgentRunResult"), ...rows(RunFacts.fields, "RunFacts")]
  )
}
export const usageTable = () => table(["field", "type", "meaning"], rows(AgentUsage.fields, "AgentUsage"))

export const vocabulariesTable = () =>
  table(
    ["type", "its words"],
    Object.entries(vocabularies).map(([name, { literals }]) => [code(name), literals.map(code).join(", ")])
  )
