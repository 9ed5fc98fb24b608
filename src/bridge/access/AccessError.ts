/** Why a bridge does not begin: a list of people that cannot be used. */
import { Schema } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"

/** Nothing was started: `option` names what is wrong, `help` what to do about it. */
export class AccessError extends Schema.TaggedError<AccessError>()("AccessError", {
  channel: Schema.String,
  accountId: Schema.String,
  /** Such as `groups["-100"].users[2]`. */
  option: Schema.String,
  problem: Schema.String,
  /** A sentence for people. */
  help: Schema.String
}) {
  override get message(): string {
    return `${this.channel} (${this.accountId}): ${this.option} ${this.problem}. ${this.help}`
  }
}
acrossCopies(AccessError, "AccessError")
