; Book, pay and confirm a flight from Oslo to Rome and a hotel there.
(define (problem oslo-to-rome)
  (:domain trip)
  (:objects
    oslo rome - city
    fl-early fl-noon - flight
    hotel-luna - hotel
    work-card - card)
  (:init
    (serves fl-early oslo rome)
    (serves fl-noon oslo rome)
    (sold-out fl-early)
    (located hotel-luna rome))
  (:goal (confirmed fl-noon hotel-luna)))
