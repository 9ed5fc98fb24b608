/** The reasons for which a host does not start, or ends: one sentence each, with a remedy. */
import { Data } from "effect"
import { channelOf } from "../../api/config/channels.ts"
import type { AccessError } from "../../bridge/access/AccessOptions.ts"
import { noPeople } from "../../bridge/access/checkAccess.ts"
import type { ServeError } from "../../bridge/ServeError.ts"
import type { ClusterError } from "../../cluster/ClusterError.ts"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { StoreError } from "../../contract/StoreError.ts"

export class Problem extends Data.TaggedError("Problem")<{ readonly message: string }> {}

const second = "Another reins serve of this user runs on this store: reins serve --status shows it. End it first"

const noOneMayWrite = (channel: string) =>
  `No one may write to the bot of [${channel}] yet: start once with reins serve --pair and send it the code, or list your id as ${channel}.owners of reins.toml.`

const ofPeople = ({ channel, option, problem, message }: AccessError) =>
  channelOf(channel) !== undefined && option === "owners" && problem === noPeople ? noOneMayWrite(channel) : message

export const problemOf = (error: ServeError | StoreError | InvalidParams | ClusterError | Problem): Problem => {
  switch (error._tag) {
    case "Problem":
      return error
    case "ChannelTaken":
      return new Problem({ message: error.host === undefined ? `${second}.` : `${second} (on ${error.host}).` })
    case "ChannelLost":
      return new Problem({ message: "Another reins serve has taken this store over: this one ends." })
    case "StoreError":
      return new Problem({ message: `${error.message}. ${error.help}` })
    case "AccessError":
      return new Problem({ message: ofPeople(error) })
    case "ChannelError":
      return new Problem({ message: `${error.message}.${error.help === undefined ? "" : ` ${error.help}`}` })
    default:
      return new Problem({ message: error.message })
  }
}
