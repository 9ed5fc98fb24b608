/** The error of a configuration file that cannot be used. It carries no value of the file. */
import { Schema } from "effect"
import { acrossCopies } from "./acrossCopies.ts"

const Problem = Schema.Struct({
  line: Schema.optionalKey(Schema.Int),
  key: Schema.optionalKey(Schema.String),
  problem: Schema.String
})

const most = 5

/** Nothing of the file is in effect. Each problem has its line, and what to do about it. */
export class ConfigurationError extends Schema.TaggedError<ConfigurationError>()("ConfigurationError", {
  file: Schema.String,
  problems: Schema.Array(Problem)
}) {
  /** What to do about it; one or two sentences for people. */
  get help(): string {
    return "Correct the file where the problem names a line; `reins config check` reads it again."
  }

  override get message() {
    const lines = this.problems
      .slice(0, most)
      .map(({ line, problem }) => `${this.file}${line === undefined ? "" : `:${line}`}: ${problem}`)
    const others = this.problems.length - lines.length
    return [...lines, ...(others === 0 ? [] : [`and ${others} more`])].join("\n")
  }
}

acrossCopies(ConfigurationError, "ConfigurationError")
