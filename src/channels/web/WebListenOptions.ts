/** How the page is served, on this machine or to others. */
import { Schema } from "effect"
import { acrossCopies } from "../../contract/acrossCopies.ts"
import type { WebChatOptions, WebPerson } from "./WebChatOptions.ts"

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
  /** Code of the system, such as `EACCES`. */
  code: Schema.String
}) {
  override get message(): string {
    return `Port ${this.port} on ${this.host} cannot be listened on (${this.code})`
  }
}

for (const type of [PortTaken, ListenRefused]) acrossCopies(type, type.identifier)

export interface WebListenOptions extends Omit<WebChatOptions, "authorize" | "origins"> {
  /** Default: any that is free. */
  readonly port?: number | undefined
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** Token of the link and of every request. Default: 256 random bits, new each time. */
  readonly token?: string | undefined
  /** Who has the link. Default: `you`. */
  readonly person?: WebPerson | undefined
  /** In place of the token. */
  readonly authorize?: WebChatOptions["authorize"] | undefined
  /** Listens on addresses that others can reach; needs `tls` and `hosts`. Default: false. */
  readonly allowRemote?: boolean | undefined
  /** Names by which the page is reached, besides those of this machine, such as `agents.example`. */
  readonly hosts?: ReadonlyArray<string> | undefined
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
}
