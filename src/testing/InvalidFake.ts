/** A fake CLI that cannot be made: of a bad step, an unknown CLI, a recording that is not there. */
import { Schema } from "effect"

/** Thrown where the fake is defined, before anything is started. */
export class InvalidFake extends Schema.TaggedError<InvalidFake>()("InvalidFake", {
  /** The invalid part, such as `step 2 (thinking)` or the name of a file. */
  subject: Schema.String,
  /** Why, and what would do instead. */
  problem: Schema.String
}) {
  override get message() {
    return `${this.subject}: ${this.problem}`
  }
}
