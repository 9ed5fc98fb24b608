// The type of a Schema's field in the words of TypeScript, short enough for a cell of a table.
import { Predicate, type SchemaAST } from "effect"
import { NoticeKind } from "../../../src/contract/AgentEvent.ts"
import { RunOutcome } from "../../../src/contract/AgentRunResult.ts"
import { ErrorCategory } from "../../../src/contract/ErrorCategory.ts"
import { RunReason } from "../../../src/contract/FailureReason.ts"
import { DecidedBy } from "../../../src/contract/SessionEvent.ts"
import { ToolKind } from "../../../src/contract/ToolEvent.ts"

/** Words of which there are many stand in a table of their own. */
export const vocabularies = { ErrorCategory, RunOutcome, RunReason, ToolKind, NoticeKind, DecidedBy }

const vocabularyOf = (words: string) =>
  Object.entries(vocabularies).find(([, { ast }]) => ast.types.map(typeOf).join(" | ") === words)?.[0] ?? words

/** For a Schema with checks, the last one has the annotations. */
const annotated = (ast: SchemaAST.AST, key: string) => {
  const value = ast.annotations?.[key] ?? ast.checks?.at(-1)?.annotations?.[key]
  return Predicate.isString(value) ? value : undefined
}

/** The expectation of a declaration with a type of its own. */
const declared = (expected: string | undefined) => {
  if (expected?.startsWith("a duration") === true) return "DurationInput"
  if (expected?.startsWith("an AbortSignal") === true) return "AbortSignal"
  if (expected?.startsWith("an attachment") === true) return "Attachment"
  if (expected?.startsWith("a rule") === true) return "ApprovalRule"
  if (expected?.startsWith("a tool") === true) return "HostTool"
  if (expected?.startsWith("a hook") === true) return "Hook"
  return "Redacted"
}

const listOf = (element: string) => (element.includes("|") ? `(${element})[]` : `${element}[]`)

const unionOf = (types: ReadonlyArray<SchemaAST.AST>): string => {
  const words = types.filter(({ _tag }) => _tag !== "Undefined").map(typeOf)
  return vocabularyOf([...new Set(words)].join(" | "))
}

export const typeOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return "string"
    case "Number":
      return "number"
    case "Boolean":
      return "boolean"
    case "Unknown":
      return "unknown"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return unionOf(ast.types)
    case "Arrays":
      return listOf(unionOf(ast.rest))
    case "Declaration":
      return declared(annotated(ast, "expected"))
    case "Objects":
      return annotated(ast, "identifier") ?? objectOf(ast)
    default:
      return ast._tag
  }
}

const objectOf = ({ propertySignatures, indexSignatures }: SchemaAST.Objects) => {
  const [index] = indexSignatures
  if (index !== undefined && propertySignatures.length === 0) return `Record<string, ${typeOf(index.type)}>`
  return `{ ${propertySignatures.map(({ name }) => String(name)).join(", ")} }`
}

export const isOptional = (ast: SchemaAST.AST): boolean => ast.context?.isOptional === true
export const describedBy = (ast: SchemaAST.AST) => annotated(ast, "description")
