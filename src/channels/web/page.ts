/** The page that is served: all its services may use it. */
import { Context } from "effect"
import type { WebChatOptions } from "./WebChatOptions.ts"

export class Page extends Context.Service<
  Page,
  {
    readonly options: WebChatOptions
    readonly accountId: string
    /** Largest upload of a person. */
    readonly uploadBytes: number
  }
>()("reins/web/Page") {}
