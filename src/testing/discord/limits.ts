/** Discord's limits, from discord.com/developers/docs; unpublished ones are careful guesses. */

export const limits = {
  /** Code points: resources/message, `content`. */
  content: 2_000,
  /** resources/message, `nonce`. */
  nonce: 25,
  /** "The past few minutes": resources/message, `enforce_nonce`. */
  nonceMs: 300_000,
  /** components/reference: rows of a message, buttons of a row, `label`, `custom_id`. */
  rows: 5,
  inRow: 5,
  label: 80,
  customId: 100,
  /** Bytes of a file, and files of a message: reference#uploading-files. */
  upload: 10 * 1_024 * 1_024,
  files: 10,
  /** Name of a thread: resources/channel#start-thread-from-message. */
  threadName: 100,
  /** Messages of one page of history. */
  history: 100,
  /** How long the first answer to an interaction can take: interactions/receiving-and-responding. */
  interactionMs: 3_000,
  /** How long a session can be resumed: not published. */
  resumeMs: 180_000,
  heartbeatMs: 41_250,
  /** events/gateway: IDENTIFYs a day and of one 5 s; frames of a client a minute. */
  identify: { most: 1_000, spanMs: 86_400_000, everyMs: 5_000 },
  frames: { most: 120, spanMs: 60_000 },
  /** topics/rate-limits: of the account. That of messages is only in headers; 5 within 5 s a channel is what they say. */
  pace: { channel: { most: 5, spanMs: 5_000 }, all: { most: 50, spanMs: 1_000 } }
} as const

export const intents = {
  messageContent: 1 << 15,
  guildMessages: 1 << 9,
  directMessages: 1 << 12,
  guilds: 1 << 0
} as const

/** Close codes of the gateway: topics/opcodes-and-status-codes. */
export const closes = {
  unknownOpcode: 4_001,
  decode: 4_002,
  notAuthenticated: 4_003,
  token: 4_004,
  authenticatedTwice: 4_005,
  sequence: 4_007,
  rate: 4_008,
  timedOut: 4_009,
  intents: 4_013,
  disallowedIntents: 4_014
} as const
