/** Telegram's limits, with sources ("api": core.telegram.org/bots/api); unpublished ones are careful guesses. */

const dayMs = 86_400_000

export const limits = {
  /** UTF-16 units after entities parsing: api#sendmessage, `text`. */
  text: 4_096,
  /** How long a draft is shown: api#sendmessagedraft ("a temporary 30-second preview"). */
  draftMs: 30_000,
  /** UTF-16 units after entities parsing: api#senddocument, `caption`. */
  caption: 1_024,
  /** Further ones are ignored: core.telegram.org/api/entities and limits.tginfo.me. */
  entities: 100,
  /** Bytes, at least 1: api#inlinekeyboardbutton, `callback_data`. */
  buttonData: 64,
  /** Buttons of one message: not published; tdlib refuses more. */
  buttons: 100,
  /** UTF-16 units: api#answercallbackquery, `text`. */
  acknowledgement: 200,
  /** How long a press can be answered: not published ("a notification may expire"); clients give up after about that. */
  acknowledgementMs: 15_000,
  /**
   * api#getupdates, "limit", and "Getting updates" for how long they are kept. From the server's source: the longest
   * poll; a repeated request with the same offset waits at least 3 s for more, and gets one within half a second; an
   * offset that is more than 10 ahead confirms nothing.
   */
  updates: { most: 100, keptMs: dayMs, timeoutSeconds: 50, againSeconds: 3, hurryMs: 500, ahead: 10 },
  /** Bytes (`MAX_DOWNLOAD_FILE_SIZE` of the server's source), and how long the link is valid at least: api#getfile. */
  download: { bytes: 20 * 1_024 * 1_024, linkMs: 3_600_000 },
  /** Bytes: api#sending-files. */
  upload: { bytes: 50_000_000, photoBytes: 10_000_000 },
  /** api#sendmediagroup. */
  album: { least: 2, most: 10 },
  /** How long its own messages can be deleted: api#deletemessage. */
  deletableMs: 2 * dayMs,
  /** api#botcommand, api#setmycommands. */
  commands: { most: 100, description: 256, name: /^[a-z0-9_]{1,32}$/ },
  /** core.telegram.org/bots/faq, "My bot is hitting limits": 1 a second in a chat "with short bursts", 20 a minute in a
   * group, 30 a second in all. What a burst is, is not published. Edits count as well: grammy.dev/advanced/flood. */
  pace: { direct: { most: 5, spanMs: 5_000 }, group: { most: 20, spanMs: 60_000 }, all: { most: 30, spanMs: 1_000 } }
} as const

/** Emoji that a bot may react with: api#reactiontypeemoji. */
export const reactions: ReadonlySet<string> = new Set(
  (
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 " +
    "🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" ")
)

/** api#sendchataction, `action`. */
export const chatActions: ReadonlySet<string> = new Set(
  (
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker " +
    "find_location record_video_note upload_video_note"
  ).split(" ")
)
