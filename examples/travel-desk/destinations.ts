/** The records: the destinations, and what the desk knows about them. */
import { ToolError } from 'mcp-resolve';

export interface Destination {
  city: string;
  country: string;
  /** The price of a trip in standard class. */
  euros: number;
  /** The tip for clients without a model. */
  sight: string;
  /** The web page with the rules of entry. */
  rules: string;
}

const destinations: Destination[] = [
  {
    city: 'Lisbon',
    country: 'Portugal',
    euros: 420,
    sight: 'the castle above Alfama',
    rules: 'https://travel-desk.example/entry/portugal',
  },
  {
    city: 'Kyoto',
    country: 'Japan',
    euros: 1300,
    sight: 'the gates of Fushimi Inari',
    rules: 'https://travel-desk.example/entry/japan',
  },
];

const cities = destinations.map(({ city }) => city);

export function citiesThatStartWith(typed: string): string[] {
  return cities.filter((city) => city.toLowerCase().startsWith(typed.toLowerCase()));
}

export function findDestination(city: string): Destination {
  const found = destinations.find((destination) => destination.city === city);
  if (found === undefined) {
    throw new ToolError(`the desk has no trips to '${city}', only to ${cities.join(' and ')}`);
  }
  return found;
}
