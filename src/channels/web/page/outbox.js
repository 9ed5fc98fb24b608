/**
 * Unconfirmed messages or presses of this tab, stored and sent again in order after a lost connection or a reload. The server
 * deduplicates them by their UUIDs.
 *
 * @typedef {{ path: string, id: string, conversation: string, body: Record<string, unknown> & { id: string } }} Parcel
 * @typedef {{ answer?: Record<string, unknown>, failure?: import("./server.js").Failure }} Outcome
 */
import { post } from "./server.js"
import { keep, stored } from "./tabMemory.js"

const retryMs = 3000

/** @param {string} place in the tab's memory; outboxes do not wait for each other @param {{ done: (parcel: Parcel, outcome: Outcome) => void, stuck: (failure: import("./server.js").Failure, parcel: Parcel) => void }} on */
export const makeOutbox = (place, on) => {
  /** @type {Parcel[]} */
  let parcels = stored(place) ?? []
  /** @type {Map<string, (outcome: Outcome) => void>} */
  const waiting = new Map()
  let isSending = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const save = () => keep(place, parcels)

  const flush = async () => {
    clearTimeout(timer)
    if (isSending) return
    isSending = true
    for (let parcel = parcels[0]; parcel; parcel = parcels[0]) {
      const outcome = await post(parcel.path, parcel.body)
      const { failure } = outcome
      if (failure && failure.problem !== "refused") {
        on.stuck(failure, parcel)
        if (failure.problem !== "expired") timer = setTimeout(flush, retryMs)
        break
      }
      parcels = parcels.filter(({ id }) => id !== parcel.id)
      save()
      waiting.get(parcel.id)?.(outcome)
      waiting.delete(parcel.id)
      on.done(parcel, outcome)
    }
    isSending = false
  }

  return {
    /** Resolves with the server's answer. @param {string} path @param {string} conversation @param {Parcel["body"]} body @returns {Promise<Outcome>} */
    send: (path, conversation, body) =>
      new Promise((resolve) => {
        parcels = [...parcels, { path, id: body.id, conversation, body }]
        save()
        waiting.set(body.id, resolve)
        void flush()
      }),
    flush: () => void flush(),
    /** @param {string} conversation */
    of: (conversation) => parcels.filter((parcel) => parcel.conversation === conversation)
  }
}

/** @typedef {ReturnType<typeof makeOutbox>} Outbox */
