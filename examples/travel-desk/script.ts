/** The expected questions and results. */

const PAGE = 'https://travel-desk.example/entry/portugal';
const TILES = 'the tiles of Madre de Deus';
const CASTLE = 'the castle above Alfama';

/** The questions, as the traveller logs them. */
export const asks = {
  travel: 'form: How do you travel to Lisbon?',
  rules: `link: Please read what Portugal asks of visitors. ${PAGE}`,
  sight: 'model: Name one thing to see in Lisbon, in at most five words.',
  roots: 'roots: all',
  approval: 'form: Book Lisbon in first class for 840 euros?',
};

/** The results for a client that answers everything. */
export const asked = {
  booked: `Booked Lisbon in first class for 840 euros; see ${TILES}; rules of entry opened; papers go to file:///home/ada/trips`,
  refused:
    "Error executing tool book_trip: Resolver for parameter 'approved' could not resolve: elicitation was decline",
  plan: `Plan a day in Lisbon. We come in first class, for 840 euros, to see ${TILES}.`,
  notes: `Lisbon, Portugal: see ${TILES}. Rules of entry: ${PAGE}`,
  rating: 'Lisbon: 5 of 5 stars.',
};

/** The results for a client that cannot ask. */
export const unasked = {
  rating: "Client did not declare the form elicitation capability required by resolver 'rating'",
  advice:
    'Error executing tool book_trip: nothing was booked, because this client cannot ask the user for approval: call hold_trip, which keeps the price for a day',
  held: 'Held Lisbon in standard class for 420 euros.',
  plan: `Plan a day in Lisbon. We come in standard class, for 420 euros, to see ${CASTLE}.`,
  notes: `Lisbon, Portugal: see ${CASTLE}. Rules of entry: ${PAGE}`,
};

/** The result for a client with a model and without a user. */
export const halfAsked = {
  plan: `Plan a day in Lisbon. We come in standard class, for 420 euros, to see ${TILES}.`,
};
