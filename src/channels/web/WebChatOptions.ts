/** Options of the page's channel, and its facts about agents and budgets. */
import type { Eventually } from "../../contract/Input.ts"

/** The person at a page, from the application. */
export interface WebPerson {
  /** Stable: what is listed in the access of the bridge. Letters, digits and `.@+:_-`. */
  readonly id: string
  /** The name that others see. Default: the id. */
  readonly name?: string
  /** Further names by which a list may name them, such as `staff`. Default: none. */
  readonly roles?: ReadonlyArray<string>
}

/** An agent, on the page where people begin and in its list. */
export interface WebAgent {
  /** Its name in the bridge. */
  readonly id: string
  /** For people. */
  readonly name: string
  readonly version?: string
  /** Its models; the first one is not more than the others. Default: people cannot choose. */
  readonly models?: ReadonlyArray<string>
  /** Why it cannot be asked now, and what to do. */
  readonly problem?: string
  /** The command that installs it, where it is not there. */
  readonly install?: string
  /** How it is signed in, such as `subscription`. */
  readonly signedIn?: string
}

/** A directory in which agents work, by its name in the bridge. */
export interface WebDirectory {
  readonly name: string
  /** As people shall see it. */
  readonly path: string
  readonly branch?: string
  /** Files that are changed and not committed. */
  readonly changed?: number
}

/** A budget that counts for this page, in US dollars. */
export interface WebBudget {
  /** For people, such as `today`. */
  readonly name: string
  readonly spent: number
  /** By what runs now. */
  readonly reserved: number
  readonly limit: number
  /** When there is more again, for people. */
  readonly again?: string
}

export interface WebChatOptions {
  /** Tells the channel from others of its kind in the same store. Default: `web`. */
  readonly accountId?: string | undefined
  /**
   * Name of pages on one store that belong together: their account ids begin with it and a dot, such as `web.office` of
   * `web`; a page that was alone before has the name itself. Each page shows the conversations of all, and acts through the
   * page that has one. Default: the page is alone.
   */
  readonly group?: string | undefined
  /** Title of the page. Default: `Reins`. */
  readonly title?: string | undefined
  /** Authorises a request: the person, or undefined, which is answered with 401. */
  readonly authorize: (request: Request) => Eventually<WebPerson | undefined>
  /** For the start page and the lists. Default: the names of the bridge's agents. */
  readonly agents?: (() => Eventually<ReadonlyArray<WebAgent>>) | undefined
  /** Default: those of the bridge, by their paths. */
  readonly directories?: (() => Eventually<ReadonlyArray<WebDirectory>>) | ReadonlyArray<WebDirectory> | undefined
  /** Default: no budget is shown. */
  readonly budget?: (() => Eventually<WebBudget | undefined>) | undefined
  /** Largest upload of a person. Default: 20,000,000. */
  readonly uploadBytes?: number | undefined
  /** Origins from which a browser may ask, such as `https://app.example`. Default: that of the request's own host. */
  readonly origins?: ReadonlyArray<string> | undefined
  /** Days after which an unused conversation is removed. Default: 180. */
  readonly keepDays?: number | undefined
}
