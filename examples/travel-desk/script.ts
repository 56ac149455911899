/** The words of the story: what a traveller is asked, and what comes of it. */

const PAGE = 'https://travel-desk.example/entry/portugal';
const TILES = 'the tiles of Madre de Deus';
const CASTLE = 'the castle above Alfama';

/** Questions, as they stand in the traveller's diary. */
export const asks = {
  travel: 'form: How do you travel to Lisbon?',
  rules: `link: Please read what Portugal asks of visitors. ${PAGE}`,
  sight: 'model: Name one thing to see in Lisbon, in at most five words.',
  roots: 'roots: all',
  approval: 'form: Book Lisbon in first class for 840 euros?',
};

/** What everybody's answers lead to. */
export const asked = {
  booked: `Booked Lisbon in first class for 840 euros; see ${TILES}; rules of entry opened; papers go to file:///home/ada/trips`,
  refused:
    "Error executing tool book_trip: Resolver for parameter 'approved' could not resolve: elicitation was decline",
  plan: `Plan a day in Lisbon. We come in first class, for 840 euros, to see ${TILES}.`,
  notes: `Lisbon, Portugal: see ${TILES}. Rules of entry: ${PAGE}`,
  rating: 'Lisbon: 5 of 5 stars.',
};

/** What the desk has for a client that cannot be asked. */
export const unasked = {
  rating: "Client did not declare the form elicitation capability required by resolver 'rating'",
  advice:
    'Error executing tool book_trip: nothing is booked, because nobody can be asked here to approve it: hold_trip keeps the price for a day and needs no approval',
  held: 'Held Lisbon in standard class for 420 euros.',
  plan: `Plan a day in Lisbon. We come in standard class, for 420 euros, to see ${CASTLE}.`,
  notes: `Lisbon, Portugal: see ${CASTLE}. Rules of entry: ${PAGE}`,
};

/** What it has for one with a model and nobody else. */
export const halfAsked = {
  plan: `Plan a day in Lisbon. We come in standard class, for 420 euros, to see ${TILES}.`,
};
