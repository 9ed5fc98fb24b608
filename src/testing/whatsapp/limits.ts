/** Limits of the Cloud API, as its documents and published types have them; lengths are code points, keys bytes. */
const minuteMs = 60_000
const hourMs = 60 * minuteMs

export const limits = {
  text: 4_096,
  /** For a message with buttons or a list. */
  interactive: 1_024,
  buttons: { most: 3, title: 20, id: 256 },
  list: { most: 10, button: 20, title: 24, description: 72, id: 200 },
  /** `biz_opaque_callback_data`. */
  data: 512,
  caption: 1_024,
  /** Messages to one person: so many at once, then one each `everyMs`. */
  pair: { most: 45, everyMs: 6_000 },
  /** Messages in all. */
  account: { most: 80, spanMs: 1_000 },
  /** How long a business may write after a person's last word. */
  windowMs: 24 * hourMs,
  /** How long the address of a file is valid. */
  linkMs: 5 * minuteMs,
  typingMs: 25_000,
  /** Waiting times before a post is repeated, and for how long it is. The documents name no more than "decreasing frequency". */
  repeatMs: [1_000, 5_000, 30_000, minuteMs, 5 * minuteMs, 30 * minuteMs, hourMs],
  postKeptMs: 7 * 24 * hourMs,
  /** How long Meta waits for the answer to a post. */
  postMs: 20_000,
  /** Posts of at most so many messages and statuses. */
  perPost: 1_000,
  media: {
    image: { most: 5_000_000, types: ["image/jpeg", "image/png"] },
    video: { most: 16_000_000, types: ["video/mp4", "video/3gpp"] },
    audio: {
      most: 16_000_000,
      types: ["audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"]
    },
    sticker: { most: 500_000, types: ["image/webp"] },
    document: {
      most: 100_000_000,
      types: [
        "text/plain",
        "application/pdf",
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation"
      ]
    }
  }
} as const

export type MediaKind = keyof typeof limits.media
