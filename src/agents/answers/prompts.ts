/**
 * The words that ask an agent for an answer by a schema, and for a better one. Some CLIs read `@path` in a prompt as a file
 * to attach, and an answer may name any: no `@` of a schema or an answer is written, but its escape in JSON.
 */
import type { OutputProblem } from "../../contract/AgentError.ts"

const jsonText = (value: unknown) => JSON.stringify(value).replaceAll("@", "\\u0040")

/** The prompt, with the schema, for a CLI that has no option for it. */
export const askingPrompt = (prompt: string, jsonSchema: unknown): string => `${prompt}

The last message of your answer must be one JSON value that matches the JSON Schema below, and nothing else: no other text, \
no Markdown.

${jsonText(jsonSchema)}`

/** The prompt of a further turn, after an answer with these problems. */
export const againPrompt = (problems: ReadonlyArray<OutputProblem>, jsonSchema: unknown): string =>
  `Your last answer does not match the JSON Schema that was asked for. The problems, as JSON:

${jsonText(problems)}

Answer again, with one JSON value that matches this JSON Schema, and with nothing else: no other text, no Markdown.

${jsonText(jsonSchema)}`
