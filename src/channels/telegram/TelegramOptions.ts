/** Options of the Telegram channel. */
import type { GroupAccess } from "../../bridge/access/AccessOptions.ts"
import type { MaybeSecret } from "../../contract/Redacted.ts"

export interface TelegramOptions {
  /** Token of a bot, as BotFather gives it. No log, span or error shows it. */
  readonly token: MaybeSecret
  /** The address of the Bot API, such as of a server of one's own. Default: `https://api.telegram.org`. */
  readonly apiRoot?: string | undefined
  /** The groups of the bridge's `access`, by their ids: what `check` looks at. Default: none. */
  readonly groups?: { readonly [chatId: string]: Pick<GroupAccess, "mention"> } | undefined
  /** Offers the commands of the bridge in the menu of the chat. Default: true. */
  readonly menu?: boolean | undefined
}
