/** The error of a configuration file that cannot be used. It carries no value of the file. */
import { Schema } from "effect"
import { type ErrorParts, reason } from "./reason.ts"
import { schemaOf } from "./schemaOf.ts"

/** A problem of a configuration file. */
export interface ConfigurationProblem {
  /** The line of the file, from 1; undefined where it concerns the whole file. */
  readonly line?: number
  /** The key, such as `agents.claude.model`. */
  readonly key?: string
  /** The problem and what to do, for people; without control characters. */
  readonly problem: string
}

const ConfigurationProblem = schemaOf<ConfigurationProblem>()(
  Schema.Struct({
    line: Schema.optionalKey(Schema.Int),
    key: Schema.optionalKey(Schema.String),
    problem: Schema.String
  })
)

/** The facts of the error. */
export interface ConfigurationErrorFields {
  /** The file. */
  readonly file: string
  /** At least one, in the order of the file. */
  readonly problems: ReadonlyArray<ConfigurationProblem>
}

/** A configuration file that cannot be used. Nothing of it is in effect. */
export interface ConfigurationError extends ErrorParts<"ConfigurationError">, ConfigurationErrorFields {
  /** The remedy; one or two sentences for people. */
  readonly help: string
}

const mostLines = 5

export const ConfigurationError = reason<ConfigurationError>()("ConfigurationError", {
  fields: { file: Schema.String, problems: Schema.Array(ConfigurationProblem) },
  help: () => "Correct the file where the problem names a line; `reins config check` reads it again.",
  message: ({ file, problems }) => {
    const lines = problems
      .slice(0, mostLines)
      .map(({ line, problem }) => `${file}${line === undefined ? "" : `:${line}`}: ${problem}`)
    const others = problems.length - lines.length
    return [...lines, ...(others === 0 ? [] : [`and ${others} more`])].join("\n")
  }
})
