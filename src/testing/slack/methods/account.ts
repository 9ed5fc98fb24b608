/** Methods about the app itself, its people and its sockets. */
import { flagOf, textOf } from "../params.ts"
import { Refusal } from "../refusal.ts"
import type { Method } from "../world.ts"

const test: Method = {
  pace: undefined,
  run: ({ team, me }) => ({
    url: `https://${team.domain}.slack.com/`,
    team: team.name,
    user: me.username,
    team_id: team.id,
    user_id: me.id,
    bot_id: me.botId,
    is_enterprise_install: false
  })
}

/** An address for one socket. Which word Slack has for an app without Socket Mode is not published. */
const openConnection: Method = {
  token: "app",
  pace: "tier3",
  run: ({ sockets, socketMode, root }, params) => {
    if (!socketMode.isOn) throw new Refusal("access_denied")
    const address = root().replace("http:", "ws:")
    return { url: `${address}/link/?${sockets.ticket(flagOf(params, "debug_reconnects"))}` }
  }
}

const userInfo: Method = {
  scopes: ["users:read"],
  pace: "tier4",
  run: ({ people, team }, params) => {
    const person = people.get(textOf(params, "user"))
    if (person === undefined) throw new Refusal("user_not_found")
    const { id, name, team: own = team.id, isBot = id.startsWith("U0REINS") } = person
    return {
      user: {
        id,
        team_id: own,
        name: name.toLowerCase(),
        real_name: name,
        deleted: false,
        is_bot: isBot,
        profile: { real_name: name, display_name: name, team: own }
      }
    }
  }
}

export const account: Readonly<Record<string, Method>> = {
  "auth.test": test,
  "apps.connections.open": openConnection,
  "users.info": userInfo
}
