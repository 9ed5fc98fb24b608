// The fields of the rules of approvals, by the comments of their types.
import { docstringsOf } from "../kit/docstrings.ts"
import { code, table } from "../kit/markdown.ts"

const fieldsOf = (name: string, head: string) =>
  table(
    [head, "meaning"],
    [...docstringsOf(name).fields].map(([field, meaning]) => [code(field), meaning])
  )

export const matchTable = () => fieldsOf("Match", "of a match")
export const askOptionsTable = () => fieldsOf("AskOptions", "option of `ask`")
export const planOptionsTable = () => fieldsOf("PlanOptions", "option of `plan`")
