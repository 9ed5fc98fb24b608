/** Who may speak on which channel of `reins serve`; pure. */
import type { AccessOptions, ChannelAccount } from "../../bridge/access/AccessOptions.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import { ownerId } from "./webChannel.ts"

/** Whoever has the key is at this machine, or as good as that; the page has a pace of its own. */
const ofPage: AccessOptions = { owners: [ownerId], perMinute: 600 }

export const accessBy =
  ({ telegram }: Pick<Configuration, "telegram">) =>
  ({ channel }: ChannelAccount): AccessOptions => {
    if (channel === "web") return ofPage
    const { owners, admins, approvers, users, groups } = telegram ?? {}
    return { owners, admins, approvers, users, groups }
  }
