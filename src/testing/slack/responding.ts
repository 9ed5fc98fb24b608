/** Answers to a press or a command by its `response_url`: 30 minutes, five times (docs: Handling user interaction). */

import type { Answer } from "./answering.ts"
import { blocksOf } from "./blocks.ts"
import { tellChanged, tellPosted } from "./events.ts"
import { messageOf } from "./messages.ts"
import { flagOf, jsonOf, type Params, textOf } from "./params.ts"
import { withdrawIn } from "./people.ts"
import { Refusal } from "./refusal.ts"
import type { KeptResponse, World } from "./world.ts"

export const makeResponding = (world: World) => {
  const { responses, clock, places, me, acknowledgements } = world

  const perform = ({ press, chat, message: ts, thread }: KeptResponse, params: Params) => {
    const text = textOf(params, "text")
    const blocks = blocksOf(jsonOf(params, "blocks", "invalid_blocks_format"))
    const place = places.accessible(chat, "info")
    const message = places.messageOf(place, ts)
    if (flagOf(params, "delete_original")) {
      if (message !== undefined) withdrawIn(world, place, message)
      return
    }
    if (text === "" && blocks === undefined) throw new Refusal("no_text", { status: 400 })
    if (flagOf(params, "replace_original") && message !== undefined) {
      const before = messageOf(world, place, message)
      Object.assign(message, { text, blocks: blocks ?? [], editedAt: clock.now() })
      return tellChanged(world, place, message, before)
    }
    if (textOf(params, "response_type") === "in_channel") {
      const posted = { user: me.id, isOurs: true, text, blocks: blocks ?? [], thread }
      return tellPosted(world, place, places.add(place, posted))
    }
    // Only the person who pressed sees it.
    const index = acknowledgements.findIndex((each) => each.press === press && each.text === "")
    const visible = { press, text, at: clock.now() }
    if (index < 0) acknowledgements.push(visible)
    else acknowledgements[index] = visible
  }

  return (token: string, params: Params): Answer => {
    const found = responses.get(token)
    if (found === undefined || found.until <= clock.now()) throw new Refusal("expired_url", { status: 404 })
    if (found.left === 0) throw new Refusal("used_url", { status: 404 })
    found.left--
    perform(found, params)
    return { status: 200, content: '{"ok":true}', type: "application/json" }
  }
}
