/** Events of places and of the app: the bot is removed or invited, channels are archived, the app is uninstalled. */
import { tell } from "./events.ts"
import type { PlaceKind, SlackPerson } from "./places.ts"
import type { World } from "./world.ts"

export interface SlackPlaceOptions {
  /** Default: by the first letter of its id, `D` direct, `G` a private channel, else a public one. */
  readonly kind?: PlaceKind
  readonly name?: string
  /** The person of a direct chat. Default: `U…` of `D…`. */
  readonly user?: string
  /** Whether the bot is in it. Default: true. */
  readonly isMember?: boolean
  readonly isArchived?: boolean
  /** Shared with another workspace (Slack Connect). */
  readonly isShared?: boolean
}

/** All that becomes of the bot in a channel, or of the channel. */
export type SlackHappening = "kicked" | "joined" | "archived" | "unarchived"

export const makeHappenings = (world: World) => {
  const { places, people, me, team } = world
  return {
    /** A place with the bot, with or without a message of a person. */
    open: (id: string, { kind, name, user, isMember, isArchived, isShared }: SlackPlaceOptions = {}) => {
      const place = places.open(id, kind, user)
      if (name !== undefined) place.name = name
      if (isMember !== undefined) place.isMember = isMember
      if (isArchived !== undefined) place.isArchived = isArchived
      if (isShared !== undefined) place.isShared = isShared
      const { user: person } = place
      if (person !== undefined && !people.has(person)) people.set(person, { id: person, name: `Person ${person}` })
    },
    member: (id: string, happening: SlackHappening, { by }: { readonly by?: SlackPerson } = {}) => {
      const place = places.open(id)
      const actor = by?.id ?? "U1001"
      const letter = place.kind === "channel" ? "C" : "G"
      const kind = place.kind === "channel" ? "channel" : "group"
      if (happening === "archived" || happening === "unarchived") {
        place.isArchived = happening === "archived"
        return tell(world, {
          type: `${kind}_${happening === "archived" ? "archive" : "unarchive"}`,
          channel: id,
          user: actor
        })
      }
      place.isMember = happening === "joined"
      const type = happening === "joined" ? "member_joined_channel" : "member_left_channel"
      tell(world, { type, user: me.id, channel: id, channel_type: letter, team: team.id })
    },
    tokensRevoked: () => tell(world, { type: "tokens_revoked", tokens: { oauth: [], bot: [me.id] } }),
    uninstalled: () => tell(world, { type: "app_uninstalled" })
  }
}
