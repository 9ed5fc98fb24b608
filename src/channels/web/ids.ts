/** Ids that pages send, untrusted until they have this form; pure. */

export const channelId = "web"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Id of a conversation, a message, a press or a file. */
export const isId = (text: unknown): text is string => typeof text === "string" && uuid.test(text)

/** Id of a person, from the application: without a slash, which ends it in the id of a chat. */
export const isPersonId = (id: unknown): id is string =>
  typeof id === "string" && /^[A-Za-z0-9][!-.0-~]{0,199}$/.test(id)

/** For people. */
export const personIdForm =
  "1 to 200 characters of ASCII, without spaces and slashes, that begin with a letter or digit"
