import Foundation
import SwiftwaterStreams

/// Shows the trip: a progress bar that is drawn over on a terminal, a line for every tenth elsewhere.
struct TripView {
  let trip: Trip

  func show(_ states: StateStream<TripState, Never>) async {
    var tenth = -1
    for await state in states {
      let traveled = trip.places[state.reached - 1].traveled
      let fraction = Double(state.reached) / Double(trip.places.count)
      let way = "\(Format.kilometers(traveled)) of \(Format.kilometers(trip.distance))"
      let instruction = trip.instruction(at: traveled) ?? ""
      if Output.isTerminal {
        let line = "\(bar(fraction)) \(Int(fraction * 100)) %  \(way)  \(instruction)"
        Output.write("\r\(line.prefix(Self.columns))\u{1B}[K")
      } else if Int(fraction * 10) > tenth {
        tenth = Int(fraction * 10)
        Output.line("\(Int(fraction * 100)) %  \(way)  \(instruction)")
      }
    }
    if Output.isTerminal { Output.line() }
  }

  private func bar(_ fraction: Double) -> String {
    let width = 30
    let full = Int(fraction * Double(width))
    return "\u{1B}[32m" + String(repeating: "█", count: full) + "\u{1B}[2m"
      + String(repeating: "░", count: width - full) + "\u{1B}[0m"
  }

  /// The escape sequences take room in the text but none on the screen.
  private static var columns: Int {
    var size = winsize()
    let width = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    return width - 1 + 13
  }
}
