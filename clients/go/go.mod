module payments-service.example/client

go 1.24
