/** A workspace as it is at the start. */
import { makeClock } from "../telegram/clock.ts"
import { makeFiles } from "./files.ts"
import { makePace } from "./pace.ts"
import { makePlaces } from "./places.ts"
import { makeSockets, type Sockets } from "./sockets.ts"
import type { SlackServerOptions, World } from "./world.ts"

const allScopes =
  "app_mentions:read channels:history groups:history im:history mpim:history im:read im:write channels:read groups:read mpim:read chat:write files:read files:write users:read commands".split(
    " "
  )

const allEvents =
  "app_mention message.im message.mpim message.channels message.groups app_uninstalled tokens_revoked member_joined_channel member_left_channel channel_archive channel_unarchive group_archive group_unarchive".split(
    " "
  )

const appIdOf = (appToken: string) => /^xapp-1-(A[A-Z0-9]+)-/.exec(appToken)?.[1] ?? "A0TESTAPP"

export const makeWorld = (
  options: SlackServerOptions,
  appToken: string,
  parts: Pick<World, "root" | "violated" | "notify">
): World & { readonly sockets: Sockets } => {
  const clock = makeClock(options.now ?? Date.now)
  const team = { id: "T0TEST", name: "Test", domain: "test" }
  const me = { id: "U0REINS", botId: "B0REINS", appId: appIdOf(appToken), username: options.username ?? "reins" }
  const scopes = options.scopes ?? allScopes
  const events = options.events ?? allEvents
  const { notify, root, violated } = parts
  return {
    clock,
    team,
    me,
    places: makePlaces(clock.now),
    people: new Map([[me.id, { id: me.id, name: me.username, isBot: true }]]),
    sockets: makeSockets({ clock, appId: me.appId, random: options.random ?? Math.random, notify }),
    pace: makePace(clock.now, options.pace ?? {}),
    files: makeFiles(clock.now, root, team.id),
    responses: new Map(),
    acknowledgements: [],
    scopes,
    isGranted: (scope) => scopes.includes(scope),
    isSubscribed: (event) => events.includes(event),
    socketMode: { isOn: true },
    root,
    sharesAfterMs: options.sharesAfterMs ?? 0,
    notify,
    violated
  }
}
