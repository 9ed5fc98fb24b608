/** Why the page cannot be served where it was to be. */
import { Schema } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"

/** Another program listens there. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  host: Schema.String,
  port: Schema.Int
}) {
  override get message(): string {
    return `Port ${this.port} on ${this.host} is in use by another program: choose another port, or 0 for any free one`
  }
}

/** The address cannot be listened on. */
export class ListenRefused extends Schema.TaggedError<ListenRefused>()("ListenRefused", {
  host: Schema.String,
  port: Schema.Int,
  /** Of the system, such as `EACCES`. */
  code: Schema.String
}) {
  override get message(): string {
    return `Port ${this.port} on ${this.host} cannot be listened on (${this.code})`
  }
}

for (const type of [PortTaken, ListenRefused]) acrossCopies(type, type.identifier)
