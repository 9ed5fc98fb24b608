/** All that the ids of people look like on each channel: for lists of people, wherever they are read. */

export const isPersonOn = {
  telegram: (id: string): boolean => /^[1-9]\d{0,15}$/.test(id),
  /** For another workspace with the id of the team before it. */
  slack: (id: string): boolean => /^(?:[TE][A-Z0-9]{2,30}\/)?[UW][A-Z0-9]{2,30}$/.test(id),
  /** A person, or everyone who has a role. */
  discord: (id: string): boolean => /^(?:role:)?\d{15,20}$/.test(id),
  /** A phone number, or the id that stands for a person without one. */
  whatsapp: (id: string): boolean => /^(?:\d{7,15}|[A-Z]{2}\.(?:ENT\.)?\w{1,128})$/.test(id)
} as const
