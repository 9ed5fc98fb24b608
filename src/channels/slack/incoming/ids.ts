/** What ids of Slack look like. */

/** `D`: direct; `C`, `G`: a channel, which may be private, or a direct chat of several people. */
export const isChatId = (id: string): boolean => /^[CDG][A-Z0-9]{2,30}$/.test(id)

/** The time of a message, which is its id in its chat. */
export const isTs = (text: string): boolean => /^\d{9,11}\.\d{6}$/.test(text)

export const isDirect = (chatId: string): boolean => chatId.startsWith("D")
