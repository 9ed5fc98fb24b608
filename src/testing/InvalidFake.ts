/** A fake CLI that cannot be made: of a bad step, an unknown CLI, a recording that is not there. */
import { acrossCopies } from "../contract/acrossCopies.ts"

/** The fields of the error. */
interface InvalidFakeFields {
  /** The invalid part, such as `step 2 (thinking)` or the name of a file. */
  readonly subject: string
  /** Why, and what would do instead. */
  readonly problem: string
}

/** Thrown where the fake is defined, before anything is started. */
export class InvalidFake extends Error implements InvalidFakeFields {
  readonly _tag = "InvalidFake"
  override readonly name = "InvalidFake"
  readonly subject: string
  readonly problem: string

  constructor({ subject, problem }: InvalidFakeFields) {
    super(`${subject}: ${problem}`)
    this.subject = subject
    this.problem = problem
  }
}

acrossCopies(InvalidFake, "InvalidFake")
