/** Slack's limits, with sources ("docs": docs.slack.dev); unpublished ones are careful guesses. */

const minuteMs = 60_000

export const limits = {
  /** Characters of a post's text; longer ones are cut by Slack: docs, chat.postMessage. */
  text: 40_000,
  /** Bytes of an update's text: docs, chat.update, `msg_too_long`. */
  updateTextBytes: 4_000,
  /** docs, Block Kit. `characters`, of all blocks, is not published: threads tell of 9,597 to 11,341 taken. */
  blocks: { most: 50, characters: 11_000, id: 255 },
  section: 3_000,
  header: 150,
  /** For one `actions` block. */
  elements: 25,
  button: { label: 75, value: 2_000 },
  /** Bytes of the payload: not published, a guess. */
  metadataBytes: 16_000,
  /** How long an envelope can be acknowledged, and when it comes again: docs, Events API, "Retries". */
  acknowledgement: { withinMs: 3_000, againMs: [0, minuteMs, 5 * minuteMs] },
  /** docs, Socket Mode: connections of one app; how long an address is valid is not published. */
  sockets: { most: 10, ticketMs: 30_000, pingMs: 10_000, closedAfterMs: 10_000 },
  /** docs, Handling user interaction: `response_url`. */
  responses: { most: 5, untilMs: 30 * minuteMs },
  /** docs, conversations.history. */
  history: { most: 999, usual: 100 },
  files: { bytes: 100_000_000 },
  /** docs, Rate limits: 1 post a second in a channel "with short bursts", updates and methods by their tier, a minute. */
  pace: {
    post: { most: 3, spanMs: 3_000 },
    update: { most: 50, spanMs: minuteMs },
    tier2: { most: 20, spanMs: minuteMs },
    tier3: { most: 50, spanMs: minuteMs },
    tier4: { most: 100, spanMs: minuteMs }
  }
} as const
