/** How the page is served, on this machine or to others. */
import type { WebChatOptions, WebPerson } from "./WebChatOptions.ts"

export type { ListenRefused, PortTaken } from "../kit/HttpServer.ts"

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
