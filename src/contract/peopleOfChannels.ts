/** What the ids of people look like on each channel: for lists of people, wherever they are read. */

export const isPersonOn = {
  telegram: (id: string): boolean => /^[1-9]\d{0,15}$/.test(id)
} as const
